/** A message's text while it streams: parts come with their offset in code points. */

import { countPoints, indexOfPoint } from "./text.js";

export class LiveText {
  constructor(text = "") {
    this.reset(text);
  }

  reset(text) {
    this.text = text;
    this.points = countPoints(text);
  }

  /** Add a part, dropping what is here already; false on a gap, where the part can't be placed. */
  add(offset, part) {
    if (offset > this.points) return false;
    const fresh = part.slice(indexOfPoint(part, this.points - offset));
    this.text += fresh;
    this.points += countPoints(fresh);
    return true;
  }
}
