import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A new folder for a test, removed when the test ends. Tests that run concurrently pass their own `whenEnded`. */
export function tempFolder(whenEnded: (remove: () => void) => void = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'audience-test-'))
  whenEnded(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
