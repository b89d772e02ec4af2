import { accessSync, constants } from 'node:fs'
import { resolve } from 'node:path'
import { didYouMean } from '../core/did-you-mean.ts'
import { messageOf } from '../core/message-of.ts'
import { tried } from '../core/tried.ts'

/** A state in PostgreSQL. */
export interface DatabaseAddress {
  /** Only for the database client, because it may contain a password. */
  readonly url: string
  /** The URL without password and options, for people. */
  readonly shown: string
  /** The secrets, which must not be in any output. */
  readonly passwords: readonly string[]
}

/** The error in the URL of a database. Its messages quote nothing that may be a password. */
export interface DatabaseUrlProblem {
  readonly message: string
  readonly hint: string
}

/** The options that name files for TLS. */
const FILES = ['sslrootcert', 'sslcert', 'sslkey']
const OPTIONS = ['sslmode', ...FILES, 'sslnegotiation', 'host', 'port', 'user', 'application_name', 'options']
const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full']
const EXAMPLE = 'postgres://audience@db.example.com/audience'

/** Whether a value of `state` is a URL, not a folder. */
export function isStateUrl(state: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(state)
}

/** The password in a URL, even in one that is not valid; undefined if it has none. */
export function passwordIn(text: string): string | undefined {
  const url = URL.parse(text)
  const found = url
    ? decoded(url.password) || url.searchParams.get('password')
    : upToAt(text).matchAll(PASSWORD).next().value?.[2]
  return found || undefined
}

/**
 * Text, such as a configuration, with a star for each character of a password in a URL, so that positions stay the
 * same.
 */
export function withoutPasswords(text: string): string {
  const starred = (_: string, before: string, password: string) => before + '*'.repeat(password.length)
  return text
    .split('\n')
    .map((line) => upToAt(line).replace(PASSWORD, starred) + line.slice(upToAt(line).length))
    .join('\n')
    .replace(/([?&]password=)([^&#\n]*)/gi, starred)
}

function upToAt(text: string): string {
  return text.slice(0, text.lastIndexOf('@') + 1)
}

/** Use it only on a text that ends with an @. In any other text, the search would read from each address to the end. */
const PASSWORD = /(postgres(?:ql)?:\/\/[^\s:@/]*:)([^\n]*)(?=@)/gi

/** The database that a URL names, with paths relative to `folder`; or the problem with the URL. */
export function readDatabaseUrl(text: string, folder: string): DatabaseAddress | DatabaseUrlProblem {
  const url = URL.parse(text)
  if (!url)
    return {
      message: 'not a database URL',
      hint: `write ${EXAMPLE}; write characters that have a special meaning in a URL as %xx`,
    }
  if (!/^postgres(ql)?:$/.test(url.protocol))
    return { message: `a state is a folder or a PostgreSQL database, not ${url.protocol}//`, hint: `write ${EXAMPLE}` }
  if (decoded(url.pathname.slice(1)) === '') return { message: 'the URL names no database', hint: `write ${EXAMPLE}` }
  const problem = optionProblem(url.searchParams) ?? fileProblem(url.searchParams, folder)
  if (problem) return problem
  const passwords = [decoded(url.password), url.searchParams.get('password')].filter((password) => password !== null)
  return { url: withAbsoluteFiles(url, folder), shown: shownUrl(url), passwords: passwords.filter(Boolean) }
}

function optionProblem(options: URLSearchParams): DatabaseUrlProblem | undefined {
  const unknown = [...options.keys()].find((name) => name !== 'password' && !OPTIONS.includes(name))
  if (unknown !== undefined)
    return {
      message: `the URL has an option that is not known: ${unknown}`,
      hint: didYouMean(unknown, OPTIONS) ?? `the known options are ${OPTIONS.join(', ')}`,
    }
  const mode = options.get('sslmode')
  if (mode !== null && !SSL_MODES.includes(mode))
    return {
      message: `sslmode cannot be ${mode}`,
      hint: `${SSL_MODES.join(', ')}; the last one checks the certificate and the name of the server`,
    }
  if (mode === 'verify-ca' && !options.has('sslrootcert'))
    return {
      message: 'sslmode=verify-ca needs sslrootcert',
      hint: 'name the file with the certificate of your certificate authority',
    }
  return undefined
}

function fileProblem(options: URLSearchParams, folder: string): DatabaseUrlProblem | undefined {
  for (const name of FILES) {
    const file = options.get(name)
    if (file === null) continue
    try {
      accessSync(resolve(folder, file), constants.R_OK)
    } catch (error) {
      return { message: `${name} cannot be read: ${messageOf(error)}`, hint: 'check the path and its permissions' }
    }
  }
  return undefined
}

/** The modes have the same meaning as in the PostgreSQL manual and in other programs. */
function withAbsoluteFiles(from: URL, folder: string): string {
  const url = new URL(from)
  for (const name of FILES) {
    const file = url.searchParams.get(name)
    if (file !== null) url.searchParams.set(name, resolve(folder, file))
  }
  if (url.searchParams.has('sslmode')) url.searchParams.set('uselibpqcompat', 'true')
  return url.href
}

/** A URL for the programs of PostgreSQL: without the password, which they take from PGPASSWORD or PGPASSFILE. */
export function urlForTools(from: string): string {
  const url = new URL(from)
  url.password = ''
  for (const name of ['password', 'uselibpqcompat']) url.searchParams.delete(name)
  return url.href
}

function shownUrl(from: URL): string {
  const url = new URL(from)
  url.password = ''
  url.search = ''
  url.hash = ''
  return url.href
}

function decoded(text: string): string {
  return tried(() => decodeURIComponent(text)) ?? text
}
