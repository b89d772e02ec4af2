import { createServer } from 'node:http2'
import * as restate from '@restatedev/restate-sdk'
import { Agent, request } from 'undici'
import { startRestate } from '../start-restate.ts'
import { STEPS, StepTimes, type Subject, times } from '../subject.ts'

const PARTITIONS = 4

/** Restate: its server, and a service in this process that the server calls over HTTP/2, as in its documentation. */
export async function openRestate(folder: string): Promise<Subject> {
  const server = await startRestate(folder, PARTITIONS)
  const stepTimes = new StepTimes()
  const bench = restate.service({
    name: 'bench',
    handlers: {
      four: async (context: restate.Context) => {
        let sum = 0
        for (const name of STEPS) {
          sum += await context.run(name, async () => {
            stepTimes.stepBegins()
            return 1
          })
        }
        return sum
      },
    },
  })
  const endpoint = createServer(restate.createEndpointHandler({ services: [bench], logger: () => undefined }))
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve))
  const address = endpoint.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const registered = await fetch(`${server.adminUrl}/deployments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ uri: `http://127.0.0.1:${port}` }),
  })
  if (!registered.ok) throw new Error(`Restate did not take the service: ${await registered.text()}`)

  const dispatcher = new Agent({ connections: 1000, pipelining: 1, allowH2: false })
  const runOne = async () => {
    const answer = await request(`${server.ingressUrl}/bench/four`, { method: 'POST', dispatcher })
    const text = await answer.body.text()
    if (answer.statusCode !== 200 || text !== '4') throw new Error(`Restate answered ${answer.statusCode} ${text}`)
  }
  return {
    run: (runs, concurrency) => times(runs, concurrency, runOne),
    async stepMs(runs) {
      stepTimes.gapsMs.length = 0
      for (let run = 0; run < runs; run += 1) {
        stepTimes.runBegins()
        await runOne()
      }
      return [...stepTimes.gapsMs]
    },
    async close() {
      await dispatcher.destroy()
      await server.stop()
      endpoint.close()
    },
  }
}
