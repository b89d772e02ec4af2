import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describeMachine } from '../engine/describe-machine.ts'
import { printTable, verdict } from '../engine/print-table.ts'
import { withTempFolder } from '../support/temp-folder.ts'
import { audienceTest, type Used } from './command.ts'

/** What tests of pipelines cost: runs the built command with the examples. */

const examples = resolve(import.meta.dirname, '../../pipelines')
const FILES = { 'data/auto-intenders.csv': { people: 5200 } }
const CHANGE = { 'data/auto-intenders.csv': { people: 5200, others: '3%' } }
const RUN = { it: 'runs', do: [{ run: {} }] }
const nights = (count: number) => ({ it: 'nights', do: [{ nights: count, change: CHANGE }] })

await withTempFolder(async (root) => {
  const folder = join(root, 'pipelines')
  mkdirSync(folder)
  const write = (name: string, document: string, tests: readonly object[]) => {
    copyFileSync(join(examples, document), join(folder, document))
    const numbered = tests.map((test, at) => ({ ...test, it: `test ${at + 1}` }))
    const text = JSON.stringify({ test: document, given: { from: '2026-10-20', files: FILES }, tests: numbered })
    writeFileSync(join(folder, `${name}.test.yaml`), text)
    return `pipelines/${name}.test.yaml`
  }
  const one = write('one', 'quickstart.yaml', [RUN])
  const six = write('six', 'quickstart.yaml', Array(6).fill(RUN))
  const thirty = write('thirty', 'nightly.yaml', [nights(30)])
  const sixty = write('sixty', 'nightly.yaml', [nights(60)])
  const four = [1, 2, 3, 4].map((at) => write(`four-${at}`, 'nightly.yaml', [nights(3), ...Array(4).fill(RUN)]))
  // The first call loads the files of the command.
  await audienceTest([one], root)
  const used = {
    one: await audienceTest([one], root),
    six: await audienceTest([six], root),
    thirty: await audienceTest([thirty], root),
    sixty: await audienceTest([sixty], root),
    twenty: await audienceTest([...four, '--jobs', '2'], root),
  }
  const row = (what: string, { seconds, processorSeconds }: Omit<Used, 'out' | 'peakMb'>, most?: number) => [
    ...[what, `${seconds.toFixed(2)} s`, `${processorSeconds.toFixed(2)} s`],
    ...(most === undefined ? ['stated', ''] : [`≤ ${most} s`, verdict(seconds <= most)]),
  ]
  const more = (of: 'seconds' | 'processorSeconds') => (used.six[of] - used.one[of]) / 5
  const growth = used.sixty.processorSeconds / used.thirty.processorSeconds
  const peak = Math.max(...Object.values(used).map(({ peakMb }) => peakMb))
  printTable(
    ['what', 'elapsed', 'processor', 'limit', ''],
    [
      row(
        'one more run of quickstart.yaml',
        { seconds: more('seconds'), processorSeconds: more('processorSeconds') },
        1.5,
      ),
      row('the command with one run: processes and people, too', used.one),
      row('30 nights of nightly.yaml, another list each night', used.thirty, 10),
      ['60 nights beside 30', '', `× ${growth.toFixed(2)}`, '≤ 2.2', verdict(growth <= 2.2)],
      row('20 tests in 4 files, 2 at once', used.twenty, 60),
      ['memory of the largest process', `${peak.toFixed(0)} MB`, '', '≤ 500 MB', verdict(peak <= 500)],
    ],
  )
  console.log(describeMachine())
})
