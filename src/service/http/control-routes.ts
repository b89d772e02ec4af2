import type { FastifyInstance } from 'fastify'
import { ApiError, notFound } from '../api-error.ts'
import type { JobControl, JobControlResult } from '../jobs/job-control.ts'
import type { Tokens } from '../tokens.ts'
import { requireToken } from './bearer.ts'

export interface ControlRoutesOptions {
  readonly tokens: Tokens
  readonly jobs: JobControl
  /** Whether jobs are being worked on; before, the population is still being made. */
  isReady(): boolean
}

/**
 * The control API: what people, other participants and tests decide (decision 126), under its own token. Only whether
 * the service lives is nobody's secret.
 */
export function registerControl(app: FastifyInstance, { tokens, jobs, isReady }: ControlRoutesOptions): void {
  app.get('/_control/health', async () => ({ status: 'ok' }))
  app.get('/_control/ready', async (_request, reply) => {
    return reply.code(isReady() ? 200 : 503).send({ status: isReady() ? 'ready' : 'starting' })
  })
  app.register(
    async (control) => {
      control.addHook('onRequest', async (request) => requireToken(request.headers.authorization, tokens.isControl))

      const actions: Readonly<Record<string, (jobId: string) => JobControlResult>> = {
        approve: jobs.approve,
        reject: jobs.reject,
        cancel: jobs.cancel,
        fail: (jobId) => jobs.fail(jobId, 'FAILED'),
        'fail-partially': (jobId) => jobs.fail(jobId, 'PARTIAL_SUCCESS'),
      }
      for (const [name, act] of Object.entries(actions)) {
        control.post<{ Params: { id: string } }>(`/jobs/:id(^\\d{1,18}$)/${name}`, async ({ params }) => {
          const result = act(params.id)
          if (result.state === 'notFound') throw notFound('job', params.id)
          if (result.state === 'notNow') {
            throw new ApiError('invalid-request', `job ${params.id} is ${result.status}: it cannot ${name} now`)
          }
          return { id: params.id, done: name }
        })
      }
    },
    { prefix: '/_control' },
  )
}
