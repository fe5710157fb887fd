// Short tones and quiet music, made by the browser. They are on until someone mutes them on this screen.
import { signal } from "../../shared/vendor/islands.js";

/** @type {AudioContext | undefined} */
let audio;
let isOn = readSetting() !== "off";
// Whether one can hear something now.
export const isHeard = signal(false);

function readSetting() {
  try {
    return localStorage.getItem("games sound");
  } catch {
    return null;
  }
}

/** @param {boolean} on */
export function setSound(on) {
  isOn = on;
  try {
    localStorage.setItem("games sound", on ? "on" : "off");
  } catch { /* storage disabled */ }
  if (on) wake();
  else void audio?.suspend();
  look();
}

const look = () => { isHeard.value = isOn && audio?.state === "running"; };

// Many browsers play nothing before someone has touched the page. The button for the sound does that itself.
/** @param {Event} [event] */
function wake(event) {
  if (!isOn || /** @type {Element | undefined} */ (event?.target)?.closest?.(".mute")) return;
  audio ??= Object.assign(new AudioContext(), { onstatechange: look });
  void audio.resume();
}
for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, wake);
wake();

// Four chords that return, a note at a time: friendly, and easy to talk over.
const CHORDS = [[262, 330, 392, 523], [220, 262, 330, 440], [175, 220, 262, 349], [196, 247, 294, 392]];
let music = 0, beat = 0;

/** @param {boolean} on */
export function setMusic(on) {
  clearInterval(music);
  if (on) music = setInterval(() => {
    const chord = CHORDS[Math.floor(beat / 8) % CHORDS.length];
    if (beat % 8 === 0) tone(chord[0] / 2, 0, 1.6, 0.05, "sine");
    tone(chord[[0, 2, 1, 3, 2, 1, 3, 2][beat % 8]], 0, 0.5, 0.025, "sine");
    beat += 1;
  }, 260);
}

/** @param {number} pitch @param {number} at @param {number} length @param {number} volume @param {OscillatorType} type */
function tone(pitch, at, length, volume = 0.12, type = "triangle") {
  if (!isOn || !audio) return;
  const start = audio.currentTime + at, source = audio.createOscillator(), gain = audio.createGain();
  source.type = type;
  source.frequency.value = pitch;
  gain.gain.setValueAtTime(0, start);
  gain.gain.linearRampToValueAtTime(volume, start + 0.015);
  gain.gain.exponentialRampToValueAtTime(0.0001, start + length);
  source.connect(gain).connect(audio.destination);
  source.start(start);
  source.stop(start + length);
}

/** @param {number[]} pitches @param {number} step @param {number} length */
const melody = (pitches, step, length) => pitches.forEach((pitch, place) => tone(pitch, place * step, length));

export const cues = {
  join: () => tone(660 + Math.random() * 220, 0, 0.18, 0.06, "sine"),
  react: () => tone(784 + Math.random() * 260, 0, 0.1, 0.03, "sine"),
  question: () => melody([392, 523], 0.12, 0.35),
  open: () => melody([523, 659, 784], 0.09, 0.3),
  tick: () => tone(880, 0, 0.08, 0.07, "square"),
  close: () => melody([330, 262], 0.16, 0.5),
  reveal: () => melody([523, 659, 784, 1047], 0.08, 0.5),
  board: () => melody([392, 494, 587], 0.1, 0.4),
  podium: () => melody([523, 523, 523, 659, 784, 1047], 0.15, 0.6),
};
