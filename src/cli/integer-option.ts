import { InvalidArgumentError } from 'commander'

/** An option with an integer value. */
export function integerOption(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number.')
}

/** A TCP port; 0 selects any free port. */
export function portOption(text: string): number {
  const port = integerOption(text)
  if (port <= 65_535) return port
  throw new InvalidArgumentError('It must be at most 65535.')
}
