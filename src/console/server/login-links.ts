import { hash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../platform/make-folder.ts'

/** How long a link works. It works only once. */
const LASTS_MS = 10 * 60_000
const PREFIX = 'console-link-'

/**
 * Makes the token of a one-time URL, and a file for it in the folder of the console. Only the owner may read this file.
 * So only somebody who can write to the state can make a token. The file contains only a hash of the token.
 */
export function makeLoginToken(folder: string, { by, now }: { by: string; now: number }): string {
  makeFolder(folder)
  removeOld(folder, now)
  const token = randomBytes(32).toString('base64url')
  writeFileSync(fileOf(folder, token), JSON.stringify({ by, until: now + LASTS_MS }), { mode: 0o600, flag: 'wx' })
  return token
}

/**
 * Accepts the token of a link once. Returns who made the link, or undefined if there is no such link, or if the link
 * has expired or has been used.
 */
export function useLoginToken(folder: string, token: string, now: number): { readonly by: string } | undefined {
  const file = fileOf(folder, token)
  try {
    // Only `makeLoginToken` writes this file.
    const { by, until } = JSON.parse(readFileSync(file, 'utf8')) as { by: string; until: number }
    // If two requests arrive at the same moment, only one can remove the file.
    unlinkSync(file)
    return until > now ? { by } : undefined
  } catch {
    return undefined
  }
}

/**
 * Writes a page that opens a URL. If the URL were on the command line of a browser, everybody on this machine could
 * read it.
 */
export function openingPage(folder: string, url: string): string {
  const file = join(folder, `${PREFIX}${randomBytes(8).toString('hex')}.html`)
  const page = `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=${url}"><a href="${url}">Continue to the console</a>\n`
  writeFileSync(file, page, { mode: 0o600, flag: 'wx' })
  return file
}

function fileOf(folder: string, token: string): string {
  return join(folder, `${PREFIX}${hash('sha256', token).slice(0, 32)}`)
}

function removeOld(folder: string, now: number): void {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(PREFIX)) continue
    const file = join(folder, name)
    const made = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? now
    if (now - made > LASTS_MS) rmSync(file, { force: true })
  }
}
