import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { prepareCommit } from '../../src/daemon/deployment/prepare-commit.ts'
import type { Release } from '../../src/daemon/deployment/read-release.ts'
import { readNewPipeline } from '../../src/daemon/documents/read-pipeline.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { openGitStore } from '../../src/platform/git/git-store.ts'
import { describeMachine } from '../engine/describe-machine.ts'
import { withTempFolder } from '../support/temp-folder.ts'

/** Deploying one changed document among many, after the fetch. */
const DOCUMENTS = 5000
const ROUNDS = 5
const MOST_MS = 1000
const MOST_MB = 60

const author = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@example.com' }
const env = { ...process.env, ...author, GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@example.com' }

await withTempFolder(async (folder) => {
  const [work, bare] = [join(folder, 'work'), join(folder, 'pipelines.git')]
  const git = (...args: string[]) => execFileSync('git', ['-C', work, ...args], { env, encoding: 'utf8' }).trim()
  mkdirSync(work)
  git('init', '--quiet', '--initial-branch=main')
  execFileSync('git', ['init', '--quiet', '--bare', bare])
  const write = (n: number, version: number) => {
    mkdirSync(join(work, `pipelines/t${n % 50}`), { recursive: true })
    writeFileSync(join(work, `pipelines/t${n % 50}/p${n}.yaml`), document(n, version))
  }
  for (let n = 0; n < DOCUMENTS; n++) write(n, 0)
  const store = openGitStore({
    access: { url: `file://${bare}`, protocol: 'file', user: undefined, token: undefined, ssh: undefined },
    ...{ ref: 'main', folder: join(folder, 'store'), env: process.env, clock: systemClock, redact: (text) => text },
  })
  let fetchedAt = 0
  const timed = {
    ...store,
    async fetch(commit: string, signal: AbortSignal) {
      await store.fetch(commit, signal)
      fetchedAt = performance.now()
    },
  }
  const { signal } = new AbortController()
  const rules = { read: readNewPipeline, checkFile: () => undefined, workdir: undefined, path: 'pipelines' }
  let before: Release | undefined
  const took: number[] = []
  let [last, most] = [0, 0]
  for (let round = 0; round <= ROUNDS; round++) {
    git('add', '--all')
    git('commit', '--quiet', '--message', 'x')
    git('push', '--quiet', bare, 'HEAD:main')
    const prepared = await prepareCommit(git('rev-parse', 'HEAD'), before, {
      ...{ store: timed, releases: join(folder, 'releases'), rules, signedBy: undefined, pid: process.pid, signal },
    })
    if (!('release' in prepared)) throw new Error('the commit is refused')
    prepared.place()
    before = prepared.release
    const ms = performance.now() - fetchedAt
    const mb = process.memoryUsage().rss / 1e6
    if (round > 0) {
      took.push(ms)
      most = Math.max(most, mb - last)
    }
    last = mb
    console.log(
      `${round === 0 ? 'all documents' : 'one document'}: ${ms.toFixed(0)} ms after the fetch, ${mb.toFixed(0)} MB`,
    )
    write(0, round + 1)
  }
  const median = took.toSorted((a, b) => a - b)[Math.floor(took.length / 2)] ?? Number.POSITIVE_INFINITY
  const isKept = median <= MOST_MS && most <= MOST_MB
  console.log(
    `median ${median.toFixed(0)} ms (limit ${MOST_MS}), ${most.toFixed(0)} MB more at most (limit ${MOST_MB}): ${isKept ? 'kept' : 'fail'}`,
  )
  console.log(describeMachine())
  process.exitCode = isKept ? 0 : 1
})

function document(n: number, version: number): string {
  return `version: 1
name: p${n}
description: "${version}"
inputs: { minimum: { type: integer, default: 100 } }
triggers:
  - { id: nightly, schedule: { cron: "0 2 * * *", timezone: America/New_York } }
steps:
  - { id: groups, uses: groups.list, with: {} }
  - { id: check, uses: run.fail, if: "\${{ inputs.minimum > 1000 }}", with: { message: "too many: \${{ inputs.minimum }}" } }
`
}
