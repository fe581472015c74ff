/** The functions that a browser tab offers: ask its user, notify, tell time zone and locale, tell its location. */

import { signal } from "../vendor.js";
import { announce, note } from "./notices.js";

const ANSWER_TIME = 600; // seconds; a person may need long
const LOCATION_TIME = 20; // seconds

/** Questions that wait for the user: `{id, question, choices, answer(text), decline()}`. */
export const questions = signal([]);

let lastId = 0;

export const askUser = {
  definition: {
    name: "ask_user",
    description: "Ask the person in front of the browser a question and wait for the answer.",
    parameters: {
      type: "object",
      properties: {
        question: { type: "string", description: "What to ask, as a full sentence." },
        choices: { type: "array", items: { type: "string" }, description: "Answers to choose from, if known." },
      },
      required: ["question"],
    },
    timeout: ANSWER_TIME,
  },
  handler: ({ question, choices = [] }, { signal: stop }) =>
    new Promise((resolve, reject) => {
      const id = ++lastId;
      const close = () => (questions.value = questions.value.filter((other) => other.id !== id));
      const settle = (how) => (value) => (close(), how(value));
      const decline = settle(() => reject(new Error("The person declined to answer.")));
      questions.value = [...questions.value, { id, question, choices, answer: settle(resolve), decline }];
      stop.addEventListener("abort", settle(() => reject(stop.reason)));
      announce(`You are asked: ${question}`, { urgent: true });
    }),
};

/** "granted", "denied", "default" (not asked yet), or "missing" where the page is no secure context. */
export const notifying = signal(notificationPermission());

function notificationPermission() {
  return isSecureContext && "Notification" in globalThis ? Notification.permission : "missing";
}

/** Have the browser ask whether this page may notify. */
export async function allowNotifications() {
  await Notification.requestPermission();
  notifying.value = notificationPermission();
}

export const notify = {
  definition: {
    name: "notify",
    description: "Show the person a notification; tells whether it was shown by the system or only in the page.",
    parameters: {
      type: "object",
      properties: { title: { type: "string" }, body: { type: "string" } },
      required: ["title"],
    },
  },
  handler: ({ title, body = "" }) => {
    note([title, body].filter(Boolean).join(": "));
    return { shown: notifying.value === "granted" && notifySystem(title, body) ? "by the system" : "in the page" };
  },
};

function notifySystem(title, body) {
  try {
    new Notification(title, { body });
    return true;
  } catch {
    return false; // phones allow it to service workers only
  }
}

export const timezoneAndLocale = {
  definition: {
    name: "timezone_and_locale",
    description: "The person's time zone, local time, and languages.",
    parameters: { type: "object", properties: {} },
  },
  handler: () => {
    const now = new Date();
    return {
      timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      localTime: now.toLocaleString(undefined, { dateStyle: "full", timeStyle: "long" }),
      utcOffsetMinutes: -now.getTimezoneOffset(),
      locale: navigator.language,
      languages: navigator.languages,
    };
  },
};

/** Whether this page could tell its location at all. */
export const locationPossible = isSecureContext && "geolocation" in navigator;

export const location = {
  definition: {
    name: "location",
    description: "Where the person's device is: latitude, longitude, accuracy in metres.",
    parameters: { type: "object", properties: {} },
  },
  handler: () =>
    new Promise((resolve, reject) => {
      navigator.geolocation.getCurrentPosition(
        ({ coords: { latitude, longitude, accuracy } }) => resolve({ latitude, longitude, accuracy }),
        (failure) => reject(new Error(failure.message || "The browser did not tell the location.")),
        { timeout: LOCATION_TIME * 1000 },
      );
    }),
};
