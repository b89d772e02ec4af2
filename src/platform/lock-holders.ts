import { readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { tried } from '../core/tried.ts'

/**
 * The other processes that currently hold a write lock on files. Only Linux shows them; on other systems the list is
 * empty.
 */
export function lockHolders(files: readonly string[]) {
  const inodes = files.flatMap((file) => statSync(file, { throwIfNoEntry: false })?.ino ?? [])
  const pids = writersOf(textOf('/proc/locks'), inodes).filter((pid) => pid > 0 && pid !== process.pid)
  return [...new Set(pids)].map((pid) => ({ pid, program: programOf(textOf(`/proc/${pid}/cmdline`)) }))
}

/** The processes with a write lock, from lines such as `1: POSIX  ADVISORY  WRITE 4711 08:01:262145 120 120`. */
function writersOf(locks: string, inodes: readonly number[]): number[] {
  return locks.split('\n').flatMap((line) => {
    const [, , , kind, pid, place = ''] = line.trim().split(/\s+/)
    return kind === 'WRITE' && inodes.includes(Number(place.split(':').at(-1))) ? [Number(pid)] : []
  })
}

/**
 * Its program, and its first argument if that looks like a file; undefined if the program cannot be read. The other
 * arguments are left out, because they may be secrets.
 */
function programOf(commandLine: string): string | undefined {
  const [program = '', first = ''] = commandLine.split('\0')
  if (program === '') return undefined
  return [program, ...(/^[^-=]+$/.test(first) ? [first] : [])].map((word) => basename(word)).join(' ')
}

function textOf(file: string): string {
  return tried(() => readFileSync(file, 'utf8')) ?? ''
}
