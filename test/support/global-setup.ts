import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder of all processes of the tests, empty at first. */
    readonly sharedFolder: string
  }
}

export default function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'audience-tests-'))
  project.provide('sharedFolder', folder)
  return () => rmSync(folder, { recursive: true, force: true })
}
