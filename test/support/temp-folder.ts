import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A folder of its own for a test, removed after it. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'audience-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
