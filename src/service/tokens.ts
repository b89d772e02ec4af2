import { randomBytes, timingSafeEqual } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '../core/code-of.ts'
import { isJsonObject } from '../core/json.ts'

/**
 * The access tokens of a data folder. Every start must show them again, so they are kept in plain text in a file that
 * only its owner can read. The store does not contain them.
 */
export interface Tokens {
  readonly control: string
  of(participantId: number): string
  /** Whether this is the token of the control API. Compares in constant time. */
  isControl(token: string): boolean
  isOf(participantId: number, token: string): boolean
  /**
   * Whether an Authorization header contains the participant's token in its usual spelling. This check is faster than
   * `isOf`. Headers are looked up by a hash with a random seed, so the time does not reveal how much of a token is
   * right.
   */
  isBearerOf(participantId: number, header: string | undefined): boolean
}

/** Reads `tokens.json`, and creates the missing tokens in it. */
export function loadTokens(dataDir: string, participants: readonly { id: number }[]): Tokens {
  const file = join(dataDir, 'tokens.json')
  const kept = readTokens(file)
  const names = ['control', ...participants.map(({ id }) => String(id))]
  const missing = names.filter((name) => !kept.has(name))
  for (const name of missing) kept.set(name, newToken())
  if (missing.length > 0) {
    const aside = `${file}.new`
    writeFileSync(aside, `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`, { mode: 0o600, flush: true })
    renameSync(aside, file)
  }
  const expected = new Map(names.map((name) => [name, Buffer.from(kept.get(name) ?? '')]))
  const isToken = (name: string, token: string) => {
    const bytes = Buffer.from(token)
    const other = expected.get(name)
    // The length of a token is not secret.
    return other !== undefined && bytes.length === other.length && timingSafeEqual(bytes, other)
  }
  const headers = new Map<string | undefined, number>(
    participants.map(({ id }) => [`Bearer ${kept.get(String(id))}`, id]),
  )
  const get = (name: string) => {
    const token = kept.get(name)
    if (token === undefined) throw new Error(`there is no token for ${name}`)
    return token
  }
  return {
    control: get('control'),
    of: (participantId) => get(String(participantId)),
    isControl: (token) => isToken('control', token),
    isOf: (participantId, token) => isToken(String(participantId), token),
    isBearerOf: (participantId, header) => headers.get(header) === participantId,
  }
}

/**
 * Makes a token. Its prefix shows what it is. Without the prefix, a token could begin with a dash, and a command line
 * would read it as an option.
 */
function newToken(): string {
  return `aud_${randomBytes(24).toString('base64url')}`
}

function readTokens(file: string): Map<string, string> {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return new Map()
    throw error
  }
  const kept: unknown = JSON.parse(text)
  const entries = isJsonObject(kept) ? Object.entries(kept) : []
  return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}
