/** Named events with handlers that can be taken off again. */

export class Events {
  #handlers = new Map();

  /** Have `handler` called with each `name` event; returns a function that ends this. */
  on(name, handler) {
    if (!this.#handlers.has(name)) this.#handlers.set(name, new Set());
    this.#handlers.get(name).add(handler);
    return () => this.#handlers.get(name).delete(handler);
  }

  /** Call every handler of `name`; one that throws does not keep the others from their turn. */
  emit(name, value) {
    for (const handler of [...(this.#handlers.get(name) ?? [])]) {
      try {
        handler(value);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
