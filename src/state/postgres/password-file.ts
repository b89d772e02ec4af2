import { readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/**
 * Adds the password from PGPASSFILE (or `~/.pgpass`) to the URL if it has none and PGPASSWORD is not set. Reads the
 * file each time, so the password can change while this process runs.
 */
export function withPasswordOfFile(url: string, env: NodeJS.ProcessEnv = process.env): string {
  const parsed = new URL(url)
  const { searchParams } = parsed
  if (parsed.password || searchParams.has('password') || env.PGPASSWORD) return url
  const user = searchParams.get('user') ?? decodeURIComponent(parsed.username)
  const wanted = [
    (searchParams.get('host') ?? decodeURIComponent(parsed.hostname)) || env.PGHOST || 'localhost',
    (searchParams.get('port') ?? parsed.port) || env.PGPORT || '5432',
    decodeURIComponent(parsed.pathname.slice(1)),
    user || env.PGUSER || env.USER || '',
  ]
  const password = passwordFor(wanted, env.PGPASSFILE ?? join(env.HOME ?? homedir(), '.pgpass'))
  if (password === undefined) return url
  parsed.searchParams.set('password', password)
  return parsed.href
}

/** The password of the first line that matches; `*` matches any value. A backslash escapes a colon. */
function passwordFor(wanted: readonly string[], file: string): string | undefined {
  for (const line of linesOf(file)) {
    const fields = [...line.matchAll(/(?:^|:)((?:\\.|[^\\:])*)/g)].map(([, field = '']) =>
      field.replaceAll(/\\(.)/g, '$1'),
    )
    const password = fields[wanted.length]
    if (password && wanted.every((value, place) => fields[place] === '*' || fields[place] === value)) return password
  }
  return undefined
}

/** Ignores a file that others can read, as PostgreSQL's own programs do. */
function linesOf(file: string): readonly string[] {
  try {
    if (process.platform !== 'win32' && statSync(file).mode & 0o077) return []
    return readFileSync(file, 'utf8')
      .split(/\r?\n/)
      .filter((line) => line !== '' && !line.startsWith('#'))
  } catch {
    return []
  }
}
