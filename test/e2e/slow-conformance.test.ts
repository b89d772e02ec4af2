import { expect, onTestFinished, test } from 'vitest'
import { allCases, isSlow } from '../conformance/all-cases.ts'
import { readArguments } from '../conformance/read-arguments.ts'
import { runSuite } from '../conformance/run-suite.ts'
import { startSubject } from '../conformance/start-subject.ts'

test('our own service passes the slow cases of the contract: large files, and each page', async () => {
  const subject = await startSubject()
  onTestFinished(() => subject.close())
  const cases = allCases.filter(isSlow)
  const { results, leftBehind } = await runSuite(cases, readArguments([...subject.argv(), '--slow'], {}).options)
  expect(results.map(({ name, outcome }) => [name, outcome])).toEqual(cases.map(({ name }) => [name, 'pass']))
  expect(leftBehind).toEqual([])
})
