/** Whether a PIN repeats one digit, or counts up or down. */
export function isWeakPin(pin: string): boolean {
  return /^(.)\1*$/.test(pin) || "0123456789".includes(pin) || "9876543210".includes(pin);
}
