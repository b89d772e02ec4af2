import { lstatSync, readlinkSync, type Stats } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { invalidError } from '../core/errors.ts'
import { shellWord } from '../core/shell-word.ts'
import { tried } from '../core/tried.ts'
import { makeFolder } from './make-folder.ts'
import { MOST_LINKS } from './real-path.ts'

const ROOT = 0
const OTHERS_ENTER = 0o001
const OTHERS_WRITE = 0o002
const STICKY = 0o1000

/** Makes one of our folders, if it is missing. Throws `untrusted-state` if others could have put something into it. */
export function makeOwnFolder(folder: string): void {
  makeFolder(folder)
  // Another user may have created the folder first.
  requireOwnFolder(folder)
}

/**
 * Throws `untrusted-state` if a folder, or a link to it, belongs to a stranger, or if everybody can write to it or
 * replace it, because its content could then be anybody's, including links to other files. This user and root are
 * trusted. A missing folder is fine, and so is everything on a system without user ids, such as Windows.
 */
export function requireOwnFolder(folder: string): void {
  const user = process.geteuid?.()
  const reason = user === undefined ? undefined : distrustWay(folder, user)
  if (reason === undefined) return
  throw invalidError(
    'untrusted-state',
    `the folder ${folder} is not used, because others could have written what is there: ${reason.why}`,
    `${reason.hint}, or name another folder with AUDIENCE_STATE`,
  )
}

interface Reason {
  readonly why: string
  readonly hint: string
}

/** Checks every folder on the path, from the root down, and follows links as the system does. */
function distrustWay(folder: string, user: number): Reason | undefined {
  const isStranger = ({ uid }: Stats) => uid !== user && uid !== ROOT
  let links = 0
  let rest = resolve(folder).split('/')
  let way = '/'
  let above: Stats | undefined
  // Other users cannot get below a folder that they may not enter.
  let isClosed = false
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    const path = name === '..' ? dirname(way) : join(way, name)
    const stats = tried(() => lstatSync(path))
    // This path cannot be followed further. If that is a problem, opening it will report more.
    if (!stats || links > MOST_LINKS) return undefined
    const target = stats.isSymbolicLink() ? readlinkSync(path) : undefined
    if (target !== undefined && isStranger(stats)) return ofStranger(`the link ${path}`, stats)
    if (target !== undefined || name === '..') {
      // This starts from the root again, because the link leads along another path.
      const next = target === undefined ? path : isAbsolute(target) ? target : `${way}/${target}`
      rest = [...next.split('/').filter((part) => part !== ''), ...rest]
      links += 1
      way = '/'
      above = undefined
      isClosed = false
      continue
    }
    const isLast = rest.length === 0
    if (isLast && isStranger(stats)) return ofStranger('it', stats)
    if (!isClosed && isOpen(stats, isLast) && !isGivenVolume(stats, above)) return ofEverybody(path, stats, isLast)
    isClosed ||= (stats.mode & OTHERS_ENTER) === 0 && !isStranger(stats)
    above = stats
    way = path
  }
  return undefined
}

/** Whether everybody can write to a folder or, if it is on the way to another one, rename what belongs to others. */
function isOpen({ mode }: Stats, isLast: boolean): boolean {
  return (mode & OTHERS_WRITE) !== 0 && (isLast || (mode & STICKY) === 0)
}

/**
 * Whether it is an empty volume that an orchestrator gives a container: everybody in the container may write to it, and
 * root mounted it there.
 */
function isGivenVolume({ uid, mode, dev }: Stats, above: Stats | undefined): boolean {
  return uid === ROOT && (mode & STICKY) === 0 && above !== undefined && above.dev !== dev
}

function ofStranger(what: string, { uid }: Stats): Reason {
  return {
    why: `${what} belongs to another user (uid ${uid})`,
    hint: 'run this as that user if you know the user, otherwise remove it',
  }
}

function ofEverybody(path: string, { mode }: Stats, isLast: boolean): Reason {
  const shown = (mode & 0o7777).toString(8).padStart(4, '0')
  const hint = `look at what is there, then chmod o-w ${shellWord(path)}`
  return isLast
    ? { why: `everybody can write to it (mode ${shown})`, hint }
    : { why: `everybody can replace it, because the folder ${path} has mode ${shown}`, hint }
}
