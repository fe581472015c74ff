/** Clocks for things that are under way. */
import { useEffect, useState } from "../vendor.js";

/** When each thing that is under way was first seen, by its id: it goes on while another thread is shown. */
const starts = new Map();

function secondsSince(id) {
  if (!starts.has(id)) starts.set(id, Date.now());
  return Math.floor((Date.now() - starts.get(id)) / 1000);
}

/** Seconds since `id` was first seen `active`, counted up meanwhile. */
export function useSeconds(id, active) {
  const [, tick] = useState(0);
  useEffect(() => {
    if (!active) {
      starts.delete(id);
      return undefined;
    }
    const timer = setInterval(() => tick((count) => count + 1), 1000);
    return () => clearInterval(timer);
  }, [id, active]);
  return active ? secondsSince(id) : 0;
}

/** Seconds until `time` (milliseconds since the epoch), counted down. */
export function useSecondsUntil(time) {
  const left = () => Math.max(0, Math.ceil((time - Date.now()) / 1000));
  const [seconds, setSeconds] = useState(left);
  useEffect(() => {
    setSeconds(left());
    const timer = setInterval(() => setSeconds(left()), 1000);
    return () => clearInterval(timer);
  }, [time]);
  return seconds;
}
