import { fastify } from 'fastify'
import { answerParent } from '../support/child.ts'

/** A bare Fastify route that answers with the same body. */
const app = fastify()

answerParent(
  {
    async start({ body }: { body: Record<string, string> }): Promise<string> {
      app.get('/p/:participant/api/jobs/:jobId', async () => body)
      return app.listen({ host: '127.0.0.1', port: 0 })
    },
    cpuMicros: () => process.cpuUsage().user + process.cpuUsage().system,
  },
  () => app.close(),
)
