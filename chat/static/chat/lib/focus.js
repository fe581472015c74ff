/** Where the focus goes when what had it is gone. */

/** Back to where one types; not on phones, where that would open the keyboard. */
export function focusComposer() {
  if (matchMedia("(pointer: fine)").matches) document.getElementById("composer")?.focus();
}

/** Whether the focus is nowhere, or in a part that is about to go. */
export function isFocusLost(going = null) {
  const element = document.activeElement;
  return element === document.body || Boolean(going?.contains(element));
}

/** Whether somebody is typing right now, so that nothing may take the focus. */
export function isTyping() {
  const element = document.activeElement;
  return element.matches("input, textarea") && element.value !== "";
}
