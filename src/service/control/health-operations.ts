import { ApiError } from '../api-error.ts'
import { controlOperation, noInput } from './control-operation.ts'

export const healthOperations = {
  health: controlOperation({
    method: 'GET',
    path: '/health',
    summary: 'Report that the service is alive.',
    input: noInput,
    open: true,
    answer: '`status`: `ok`',
    handle: () => ({ status: 'ok' }),
  }),

  ready: controlOperation({
    method: 'GET',
    path: '/ready',
    summary: 'Report whether the service works on jobs.',
    description: 'The answer is 503 until the population is made.',
    input: noInput,
    open: true,
    answer: '`status`: `ready`',
    handle(control) {
      if (!control.isReady()) throw new ApiError('not-ready', 'the service is starting')
      return { status: 'ready' }
    },
  }),
}
