/** The page's keyboard shortcuts: which keys they are, and how people are told. */

/** `mod` stands for Ctrl, or ⌘ on Apple's systems; a missing `shift` means that it does not matter. */
export const SHORTCUTS = [
  { id: "palette", words: "Search and commands", mod: true, shift: false, keys: ["k"], told: ["mod", "K"] },
  { id: "new-chat", words: "New chat", mod: true, shift: true, keys: ["o"], told: ["mod", "Shift", "O"] },
  { id: "focus", words: "Go to the message field", mod: false, shift: true, keys: ["escape"], told: ["Shift", "Esc"] },
  { id: "sidebar", words: "Show or hide the chats", mod: true, shift: true, keys: ["s"], told: ["mod", "Shift", "S"] },
  { id: "copy-code", words: "Copy the last code", mod: true, shift: true, keys: [";", ":"], told: ["mod", "Shift", ";"] },
  { id: "help", words: "Keyboard shortcuts", mod: true, keys: ["/"], told: ["mod", "/"] },
];

/** Keys that mean something in one place only. */
export const LOCAL_KEYS = [
  { words: "Send the message", told: ["Enter"] },
  { words: "Start a new line", told: ["Shift", "Enter"] },
  { words: "Edit your last message, in the empty field", told: ["↑"] },
  { words: "Stop the answer, or close what is open", told: ["Esc"] },
];

/** The id of the shortcut that a key event is, or null. */
export function shortcutOf({ key, ctrlKey, metaKey, shiftKey, altKey }) {
  const pressed = key.toLowerCase();
  const found = SHORTCUTS.find(({ mod, shift, keys }) =>
    keys.includes(pressed) && mod === (ctrlKey || metaKey) && (shift ?? shiftKey) === shiftKey && !altKey);
  return found?.id ?? null;
}

/** The keys as they are written on this system's keyboard. */
export function keyNames(told, apple) {
  return told.map((key) => (key === "mod" ? (apple ? "⌘" : "Ctrl") : key));
}
