import { createHash, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { ConsoleSettings } from '../../config/console-config.ts'
import { codeOf } from '../../core/code-of.ts'
import { type AudienceError, invalidError } from '../../core/errors.ts'
import { bearerToken } from '../../http/request-headers.ts'
import type { Session } from './sessions.ts'

const SHORTEST = 16

/** Reads the values of `console.tokens`. Throws `no-console-token` if one cannot be read or is too short. */
export function readTokens(
  tokens: ConsoleSettings['tokens'],
  env: Readonly<Record<string, string | undefined>>,
): readonly (Session & { readonly token: string })[] {
  return tokens.map(({ name, role, tokenEnv, tokenFile }) => {
    const token = (tokenFile === undefined ? env[tokenEnv ?? ''] : textOf(tokenFile, name))?.trim() ?? ''
    if (token.length >= SHORTEST) return { by: name, role, token }
    const place = tokenFile ?? `the environment variable ${tokenEnv}`
    throw unusable(
      name,
      token === ''
        ? `${place} does not contain a token`
        : `the token in ${place} has fewer than ${SHORTEST} characters`,
    )
  })
}

/** Makes a function that finds the owner of the token in an `Authorization` header. */
export function tokenOwners(
  tokens: ReturnType<typeof readTokens>,
): (header: string | undefined) => Session | undefined {
  const known = tokens.map(({ by, role, token }) => ({ by, role, digest: digestOf(token) }))
  return (header) => {
    const given = digestOf(bearerToken(header) ?? '')
    const found = known.find(({ digest }) => timingSafeEqual(digest, given))
    return found && { by: found.by, role: found.role }
  }
}

/** Digests have the same length, so every comparison takes the same time. */
function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

function textOf(file: string, name: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw unusable(name, `${file} cannot be read (${codeOf(error) ?? 'unknown reason'})`)
  }
}

function unusable(name: string, why: string): AudienceError {
  return invalidError(
    'no-console-token',
    `there is no token "${name}" for the console: ${why}`,
    'set it, or change `console.tokens` in audience.yaml',
  )
}
