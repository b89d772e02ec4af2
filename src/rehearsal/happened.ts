import { createHash } from 'node:crypto'

/** Receives every part of a request or a response as it arrives, and every record at the end. */
export type Witness = (head: string, content: string) => void

/**
 * Everything that happened in a world, in order. It is the same for worlds in which the same things happened at the
 * same times.
 */
export class Happened {
  readonly #folder: string
  readonly #witness: Witness | undefined
  readonly #hash = createHash('sha256')

  /** `folder`: the location of the world, which differs each time. */
  constructor(folder: string, witness: Witness | undefined) {
    this.#folder = folder
    this.#witness = witness
  }

  note(head: string, content: string): void {
    const same = withoutChance(content).replaceAll(this.#folder, '')
    this.#hash.update(`${head} ${same}\n`)
    this.#witness?.(head, same)
  }

  digest(): string {
    return this.#hash.copy().digest('hex').slice(0, 16)
  }
}

/**
 * Removes what is random and does not matter: tokens, boundaries of uploads, the beginning of request ids, and the
 * times at which lists were written, which come from the file system.
 */
export function withoutChance(text: string): string {
  return text
    .replaceAll(/aud_[\w-]{32}/g, 'token')
    .replaceAll(/audience-[0-9a-f-]{36}/g, 'border')
    .replaceAll(/(?<="modifiedMs":)[\d.]+/g, '0')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-(?=[0-9a-f]{12})/g, '')
}
