// Short tones, made by the browser. They are off until someone turns them on.
/** @type {AudioContext | undefined} */
let audio;
let isOn = false;

/** @param {boolean} on */
export function setSound(on) {
  isOn = on;
  if (on) audio ??= new AudioContext();
  if (on) void audio?.resume();
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
  question: () => melody([392, 523], 0.12, 0.35),
  open: () => melody([523, 659, 784], 0.09, 0.3),
  tick: () => tone(880, 0, 0.08, 0.07, "square"),
  close: () => melody([330, 262], 0.16, 0.5),
  reveal: () => melody([523, 659, 784, 1047], 0.08, 0.5),
  board: () => melody([392, 494, 587], 0.1, 0.4),
  podium: () => melody([523, 523, 523, 659, 784, 1047], 0.15, 0.6),
};
