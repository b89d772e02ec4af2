import { InvalidArgumentError } from 'commander'

/** A whole number of an option. */
export function integerOption(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It has to be a whole number.')
}
