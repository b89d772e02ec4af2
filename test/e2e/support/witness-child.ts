import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runTest } from '../../../src/rehearsal/run-test.ts'
import { projectOf, readTestFile } from '../../../src/rehearsal/test-project.ts'

/*
 * Runs the tests of a file, and writes the requests of each as JSON. The time of a world moves when Node has nothing to
 * wait for, so this is a separate process.
 */

const [file = '', people = ''] = process.argv.slice(2)
const root = projectOf(file)
const scratch = mkdtempSync(join(tmpdir(), 'witness-'))
const document = readTestFile(file, root)
const lived: unknown[] = []
for (const test of document.tests) {
  const heard: [string, string][] = []
  const witness = (head: string, content: string) => heard.push([head, content])
  const { failures, digest } = await runTest(test, { root, seed: 1, scratch, keep: false, people, document, witness })
  lived.push({ heard, failures, digest })
}
rmSync(scratch, { recursive: true, force: true })
process.stdout.write(JSON.stringify(lived), () => process.exit())
