import { linkSync, mkdirSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { codeOf } from '../core/code-of.ts'
import { readTest } from './read-test.ts'
import { runTest } from './run-test.ts'
import { readTestFile, testDeps } from './test-project.ts'
import type { TestOrder, TestResult } from './test-result.ts'
import { workForParent } from './work-for-parent.ts'

/* The process of one test file. */

await workForParent<TestOrder, TestResult>(async (order, tell) => {
  const { file, root, only = '', draft } = order
  const document = draft === undefined ? readTestFile(file, root) : readTest({ file, text: draft }, testDeps(root))
  const isBuiltIn = document.given.service.network === undefined
  const people = join(order.scratch, `people-${process.pid}`)
  const shared = join(order.scratch, 'people')
  if (isBuiltIn) linkPeople(shared, people)
  for (const test of document.tests)
    if (test.it.includes(only)) tell(await runTest(test, { ...order, people, document }))
  if (isBuiltIn) linkPeople(people, shared)
})

/**
 * Links complete files of people from one folder into another. Making one of these files takes seconds, a file never
 * changes, and two processes cannot fill one folder. So each process has its own folder, and they share complete files.
 */
function linkPeople(from: string, to: string): void {
  mkdirSync(from, { recursive: true, mode: 0o700 })
  for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.endsWith('.part')) continue
    const source = join(entry.parentPath, entry.name)
    const target = join(to, source.slice(from.length + 1))
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
    try {
      linkSync(source, target)
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
    }
  }
}
