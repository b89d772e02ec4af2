import { join } from 'node:path'
import { linkPeople } from './people-folder.ts'
import { readTest } from './read-test.ts'
import { runTest } from './run-test.ts'
import type { TestOrder } from './test-orders.ts'
import { readTestFile, testDeps } from './test-project.ts'
import type { TestResult } from './test-result.ts'
import { workForParent } from './work-for-parent.ts'

/* The process of one test file. */

await workForParent<TestOrder, { readonly result: TestResult }>(async (order, tell) => {
  const { file, root, only = '', draft } = order
  const document = draft === undefined ? readTestFile(file, root) : readTest({ file, text: draft }, testDeps(root))
  const isBuiltIn = document.given.service.network === undefined
  const people = join(order.scratch, `people-${process.pid}`)
  const shared = join(order.scratch, 'people')
  if (isBuiltIn) linkPeople(shared, people)
  for (const test of document.tests)
    if (test.it.includes(only)) tell({ result: await runTest(test, { ...order, people, document }) })
  if (isBuiltIn) linkPeople(people, shared)
})
