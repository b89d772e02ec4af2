import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const MEGABYTE = Buffer.alloc(1 << 20)
const PAGE = Buffer.alloc(4096)

/** A small file system that a test can fill. */
export interface SmallDisk {
  readonly folder: string
  /** Uses the last free byte. */
  fill(): void
  /** Frees what `fill` used. */
  free(): void
  remove(): void
}

/** Mounts a file system in memory at `folder`; undefined if this user may not mount. */
export function mountSmallDisk(folder: string, megabytes: number): SmallDisk | undefined {
  mkdirSync(folder)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  const ballast = join(folder, 'ballast')
  const add = (bytes: Buffer) => {
    try {
      for (;;) appendFileSync(ballast, bytes)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
    }
  }
  return {
    folder,
    fill() {
      add(MEGABYTE)
      add(PAGE)
    },
    free: () => rmSync(ballast, { force: true }),
    remove: () => void execFileSync('umount', ['-l', folder], { stdio: 'ignore' }),
  }
}
