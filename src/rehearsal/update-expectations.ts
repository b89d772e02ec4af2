import { writeFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { documentAt } from '../daemon/documents/document-at.ts'
import { type CountsEdit, editCounts } from '../document/edit-counts.ts'
import { loadTest } from './read-test.ts'
import type { FileResult } from './run-test-files.ts'
import type { TestDocument, TestExpectation } from './test-document.ts'
import { testDeps } from './test-project.ts'
import { isUpdatable, nonZero, type TestFailure, type TestResult } from './test-result.ts'

/** Writes the counts that tests saw into their file, which must not have changed since it was read. */
export function updateTestFile(
  ran: FileResult,
  { file, root, document }: { file: string; root: string; document: TestDocument },
): FileResult {
  const { text, results } = updateExpectations(document.text, ran.results, document)
  if (text === document.text) return ran
  const now = documentAt(file)
  if (!now || 'unread' in now || now.text !== document.text)
    return {
      ...ran,
      broken: { message: 'it changed while its tests ran: nothing was written to it', hint: undefined },
    }
  const { test } = loadTest({ text, file }, testDeps(root))
  if (!test || !isUpdated(document, test, results))
    throw new Error(`${file} would expect something other than what was seen`)
  writeFileSync(file, text)
  return { ...ran, results }
}

/**
 * Writes the counts that tests saw into the text of their file. A test that failed for another reason stays as it is.
 * Returns the results with the rewritten expectations.
 */
function updateExpectations(
  text: string,
  results: readonly TestResult[],
  { tests }: TestDocument,
): { readonly text: string; readonly results: readonly TestResult[] } {
  const edits = new Map<TestFailure, CountsEdit>()
  for (const { it, failures, facts } of results) {
    if (!failures.every(({ what }) => isUpdatable(what))) continue
    const number = tests.findIndex((test) => test.it === it)
    for (const failure of failures) {
      const { what, event } = failure
      const counts = isUpdatable(what) ? facts[event]?.[what] : undefined
      if (counts) edits.set(failure, { path: ['tests', number, 'do', event, 'expect', what], counts })
    }
  }
  const { text: edited, made } = editCounts(text, [...edits.values()])
  const updated = (failure: TestFailure): TestFailure[] => {
    const edit = edits.get(failure)
    const line = edit && made.get(edit)
    return line === undefined ? [] : [{ ...failure, at: { ...failure.at, line } }]
  }
  return {
    text: edited,
    results: results.map((result) => {
      const failures = result.failures.filter((failure) => updated(failure).length === 0)
      const requests = failures.length > 0 ? result.requests : []
      return { ...result, failures, requests, updated: result.failures.flatMap(updated) }
    }),
  }
}

/** Whether a test file contains what was written into it, and nothing else in it has changed. */
function isUpdated(before: TestDocument, after: TestDocument, results: readonly TestResult[]): boolean {
  const wanted = before.tests.map(({ it, events }) => {
    const { updated = [], facts = [] } = results.find((result) => result.it === it) ?? {}
    return events.map(({ act, expect }, event) => {
      const names = updated.filter((one) => one.event === event).map(({ what }) => what)
      const seen = names.filter(isUpdatable).map((what) => [what, facts[event]?.[what]])
      return [act, countsOf({ ...expect, ...Object.fromEntries(seen) })]
    })
  })
  const now = after.tests.map(({ events }) => events.map(({ act, expect }) => [act, countsOf(expect)]))
  return isDeepStrictEqual(now, wanted)
}

/** An expectation without its position and without counts of zero. */
function countsOf({ at: _, writes, plan, ...others }: TestExpectation) {
  return { ...others, writes: writes && nonZero(writes), plan: plan && nonZero(plan) }
}
