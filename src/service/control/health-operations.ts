import { ApiError } from '../api-error.ts'
import { controlOperation, noInput } from './control-operation.ts'

export const healthOperations = {
  health: controlOperation({
    method: 'GET',
    path: '/health',
    summary: 'Say that the service lives.',
    input: noInput,
    open: true,
    answer: '`status`: `ok`',
    handle: () => ({ status: 'ok' }),
  }),

  ready: controlOperation({
    method: 'GET',
    path: '/ready',
    summary: 'Say whether jobs are being worked on.',
    description: 'While the population is still being made the answer is 503.',
    input: noInput,
    open: true,
    answer: '`status`: `ready`',
    handle(control) {
      if (!control.isReady()) throw new ApiError('not-ready', 'the service is starting')
      return { status: 'ready' }
    },
  }),
}
