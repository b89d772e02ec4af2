import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { findChromium } from '../console/browser/support/find-chromium.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder of all processes of the tests, empty at first. */
    readonly sharedFolder: string
  }
}

let isTold = false

export default function setup(project: TestProject): () => void {
  if (!isTold && !findChromium())
    console.warn('There is no Chromium: the tests of the console in a browser are left out.')
  isTold = true
  const folder = mkdtempSync(join(tmpdir(), 'audience-tests-'))
  project.provide('sharedFolder', folder)
  return () => rmSync(folder, { recursive: true, force: true })
}
