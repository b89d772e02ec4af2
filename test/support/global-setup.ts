import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { getCompileCacheDir } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { findChromium } from '../console/browser/support/find-chromium.ts'
import { hasSshd } from '../remote/sftp/sshd.ts'
import { findPromtool } from './find-promtool.ts'
import { CLUSTER_FOLDER, hasPostgres, stopPostgres } from './start-postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder that all processes of the tests share. It is empty at first. */
    readonly sharedFolder: string
  }
}

let isTold = false

export default function setup(project: TestProject): () => void {
  if (!isTold && process.env.LEAVE_OUT)
    console.warn(
      'Left out: the tests of whole systems (kills, full disks, a browser; npm run test:system) and attacks (npm run attack)',
    )
  else if (!isTold && !findChromium())
    console.warn('There is no Chromium: the tests of the console in a browser are left out.')
  if (!hasPostgres()) {
    const what = 'There is no PostgreSQL: the tests of a state in a database are left out.'
    if (process.env.REQUIRE_POSTGRES) throw new Error(what)
    if (!isTold) console.warn(what)
  }
  if (!hasSshd) {
    const what =
      'There is no sshd: the tests of files on SFTP servers and of git over ssh are left out (apt-get install openssh-server).'
    if (process.env.REQUIRE_SSHD) throw new Error(what)
    if (!isTold) console.warn(what)
  }
  if (!findPromtool() && !isTold)
    console.warn('There is no promtool: the tests of the rules for Prometheus are left out, but for their names.')
  isTold = true
  const compiled = getCompileCacheDir()
  if (compiled !== undefined && readdirSync(compiled).length === 0)
    spawnSync(process.execPath, [join(import.meta.dirname, 'compile-src.ts')])
  const folder = mkdtempSync(join(tmpdir(), 'audience-tests-'))
  project.provide('sharedFolder', folder)
  return () => {
    const cluster = join(folder, CLUSTER_FOLDER, 'data')
    if (existsSync(cluster)) stopPostgres(readFileSync(cluster, 'utf8'), 'immediate')
    rmSync(folder, { recursive: true, force: true })
  }
}
