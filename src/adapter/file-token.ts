import { readFile } from 'node:fs/promises'
import type { SteadyClock } from '../core/clock.ts'
import { codeOf } from '../core/code-of.ts'
import { renewableToken, sendableToken, type TokenProvider, tokenError } from './tokens.ts'

/**
 * Reads the token from a file that another program keeps up to date. Reads it again when the service refuses the token
 * (decision 10).
 */
export function fileToken(path: string, clock: SteadyClock): TokenProvider {
  return renewableToken(async () => ({ token: sendableToken(await textOf(path), `the token file ${path}`) }), clock)
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    const reason = codeOf(cause) ?? 'unknown reason'
    const hint = 'check tokenFile in the profile'
    throw tokenError('no-token', `the token file ${path} cannot be read (${reason})`, hint, cause)
  }
}
