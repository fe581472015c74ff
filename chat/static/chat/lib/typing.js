/** What fields for longer text have in common. */

const ENTER_OF_INPUT_METHOD = 229; // key code that Safari reports after the composition has ended

/** Whether a key event is the Enter that sends, not one that breaks the line or ends a composition. */
export function isEnter(event) {
  const composing = event.isComposing || event.keyCode === ENTER_OF_INPUT_METHOD;
  return event.key === "Enter" && !event.shiftKey && !composing;
}

/** Make a field as high as its text, for browsers without `field-sizing`. */
export function grow(area) {
  if (CSS.supports("field-sizing", "content")) return;
  area.style.height = "auto";
  area.style.height = `${area.scrollHeight}px`;
}
