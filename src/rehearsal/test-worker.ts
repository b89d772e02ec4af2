import { join } from 'node:path'
import { AudienceError } from '../core/errors.ts'
import { messageOf } from '../core/message-of.ts'
import { linkPeople } from './people-folder.ts'
import { readTest } from './read-test.ts'
import { runTest } from './run-test.ts'
import type { TestOrder, WorkerReport } from './test-orders.ts'
import { readTestFile, testDeps } from './test-project.ts'

/*
 * The process of one test file. The time of a world moves when Node has nothing to wait for, so nothing else may be open
 * here: what there is to say goes to the parent, and nothing comes from it.
 */

const order = JSON.parse(process.argv[2] ?? '') as TestOrder
const tell = (report: WorkerReport) => void process.send?.(report)
try {
  const { file, root, only = '', draft } = order
  const document = draft === undefined ? readTestFile(file, root) : readTest({ file, text: draft }, testDeps(root))
  const isBuiltIn = document.given.service.network === undefined
  const people = join(order.scratch, `people-${process.pid}`)
  const shared = join(order.scratch, 'people')
  if (isBuiltIn) linkPeople(shared, people)
  for (const test of document.tests)
    if (test.it.includes(only)) tell({ result: await runTest(test, { ...order, people, document }) })
  if (isBuiltIn) linkPeople(people, shared)
  tell({ ended: true })
} catch (error) {
  const { message, hint } = error instanceof AudienceError ? error : { message: stackOf(error), hint: undefined }
  tell({ broken: { message, hint } })
}
process.disconnect()
process.exit()

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : messageOf(error)
}
