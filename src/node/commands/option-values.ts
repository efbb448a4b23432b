import { InvalidArgumentError } from "commander";

export function wholeNumber(max: number): (text: string) => number {
  return (text) => {
    if (!/^[0-9]+$/.test(text) || Number(text) > max) {
      throw new InvalidArgumentError(`It takes a whole number from 0 to ${max}.`);
    }
    return Number(text);
  };
}

export function once(text: string, before: string | undefined): string {
  if (before !== undefined) throw new InvalidArgumentError("It is given once.");
  return notEmpty(text);
}

export function parted(text: string): string[] {
  const parts = notEmpty(text)
    .split(",")
    .map((each) => each.trim());
  if (parts.includes(""))
    throw new InvalidArgumentError("It has a comma too many: nothing stands beside it.");
  return parts;
}

export function notEmpty(text: string): string {
  if (text === "") throw new InvalidArgumentError("It must not be empty.");
  return text;
}
