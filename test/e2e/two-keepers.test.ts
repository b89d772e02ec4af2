import { expect, onTestFinished, test } from 'vitest'
import type { ApiAnswerOf } from '../../src/console/api/operations.ts'
import { send, startConsoleBench, TOKENS } from '../console/support/console-bench.ts'
import { type Audience, spawnAudience } from '../support/audience.ts'
import { kill, until, untilReady } from '../support/daemon.ts'
import { upstream } from '../support/git-server.ts'
import { describeWithPostgres } from '../support/postgres.ts'

const child = (version: string) =>
  `version: 1\nname: child\nsteps: [{ id: look, uses: groups.list }]\noutputs: { version: "${version}" }\n`
const PARENT = `version: 1
name: parent
steps:
  - { id: ask, uses: approval.wait, with: { message: go on? } }
  - { id: child, uses: pipelines.run, with: { file: child.yaml } }
outputs: { version: "\${{ steps.child.outputs.outputs.version }}" }
`

interface Worker {
  readonly process: Audience
  readonly url: string
}

describeWithPostgres('keepers that are killed while commits are pushed', () => {
  test('all workers end on one commit, a run and its children come from one, and nothing refused is deployed', async () => {
    const remote = upstream()
    const first = remote.commit({ 'pipelines/parent.yaml': PARENT, 'pipelines/child.yaml': child('one') })
    const git = JSON.stringify({ git: { url: remote.url, every: '10s' } })
    const bench = await startConsoleBench(
      {},
      { config: `pipelines: ${git}`, env: { PATH: process.env.PATH ?? '' }, workers: 2 },
    )
    onTestFinished(() => bench.stop())
    const workers: Worker[] = bench.daemons.map((each, index) => ({ process: each, url: bench.urls[index]! }))
    const ask = async <T = ApiAnswerOf<'deployment.get'>>({ url }: Worker, path: string, json?: object) => {
      const method = json ? 'POST' : 'GET'
      const headers = { authorization: `Bearer ${TOKENS.approver}` }
      return (await send(new URL(`api/v1/${path}`, url), { method, json, headers })).body as T
    }
    /** Kills the keeper as soon as there is one. */
    const killKeeper = async () => {
      let pid: number | undefined
      await until(async () => {
        const { workers: rows } = await ask<ApiAnswerOf<'workers.list'>>(workers[0]!, 'workers')
        pid = rows.find(({ keeper }) => keeper)?.pid
        return workers.some(({ process: { pid: its } }) => its === pid)
      })
      const at = workers.findIndex(({ process: { pid: its } }) => its === pid)
      const [keeper] = workers.splice(at, 1)
      await kill(keeper!.process)
    }
    const start = async () => {
      const args = ['start', '--port', '0', '--console-port', '0', '--json', '--log-level', 'warn']
      const one = spawnAudience(args, bench.project.options)
      onTestFinished(() => kill(one).then(() => undefined))
      workers.push({ process: one, url: ((await untilReady(one)) as unknown as { console: string }).console })
    }
    const inUse = async () => (await ask(workers[0]!, 'deployment')).deployed?.commit
    /** The commit of a run that a worker starts at this moment. */
    const startedFrom = async (worker: Worker) => {
      const { runId } = await ask<{ runId: string }>(worker, 'runs', { pipeline: 'parent' })
      return (await ask<ApiAnswerOf<'runs.get'>>(worker, `runs/${runId}`)).git?.commit
    }

    await until(async () => (await inUse()) === first && (await startedFrom(workers[0]!)) === first)
    const { runId } = await ask<{ runId: string }>(workers[0]!, 'runs', { pipeline: 'parent' })
    remote.commit({ 'pipelines/child.yaml': child('two') })
    await ask(workers[0]!, 'deployment/look', {})
    await killKeeper()
    const bad = remote.commit({ 'pipelines/child.yaml': 'version: 1\nname: [child\n' })
    await Promise.all([start(), until(async () => (await ask(workers[0]!, 'deployment')).remote?.commit === bad)])
    const last = remote.commit({ 'pipelines/child.yaml': child('three') })
    await ask(workers[0]!, 'deployment/look', {})
    await killKeeper()
    await start()
    await until(async () => (await inUse()) === last)
    for (const worker of workers) await until(async () => (await startedFrom(worker)) === last, { everyMs: 500 })

    await ask(workers[0]!, `runs/${runId}/decisions`, { step: 'ask', decision: 'approved' })
    const shown = () => ask<ApiAnswerOf<'runs.get'>>(workers[0]!, `runs/${runId}`)
    await until(async () => (await shown()).run.status === 'succeeded')
    expect(await shown()).toMatchObject({
      git: { commit: first },
      outputs: { version: 'one' },
    })
    const { runs } = await ask<ApiAnswerOf<'runs.list'>>(workers[0]!, 'runs?pipeline=child')
    expect(runs).toMatchObject([{ commit: first }])
    const { deployments } = await ask(workers[0]!, 'deployment')
    const order = remote.git('rev-list', '--reverse', 'HEAD').split('\n')
    const deployed = deployments.map(({ commit }) => order.indexOf(commit)).reverse()
    expect(deployed).toEqual([...new Set(deployed)].toSorted((a, b) => a - b))
    expect(deployed).not.toContain(order.indexOf(bad))
  })
})
