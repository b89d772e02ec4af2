import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compare } from '../support/compare.ts'
import { printReport } from '../support/report.ts'
import { wholeProcess } from './whole-process.ts'

/** The built `audience --version` and `audience validate` on one file, compared to `node -e 0`. */
const ROUNDS = 31

const root = fileURLToPath(new URL('../..', import.meta.url))
const main = join(root, 'dist/main.js')
if (!existsSync(main)) throw new Error('there is no dist/: run `npm run build` first')

const started = (...args: string[]) => ({
  unit: 'ms',
  rounds: ROUNDS,
  ours: () => wholeProcess([main, ...args], root),
  peer: () => wholeProcess(['-e', '0'], root),
})
const rows = [
  await compare({ name: 'audience --version', ...started('--version'), limit: { atMost: 1.5 } }),
  await compare({
    name: 'audience validate pipelines/quickstart.yaml',
    ...started('validate', 'pipelines/quickstart.yaml'),
    limit: { atMost: 2 },
  }),
]
printReport('Whole processes: the command (ours) beside node -e 0 (peer)', rows, [`${ROUNDS} alternating runs.`])
