import { finished } from 'node:stream/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Operation, VENDOR_MEDIA_TYPE } from '../../contract/operation.ts'
import { isJsonObject, type Json } from '../../core/json.ts'
import type { FaultRule } from '../control/fault-rules.ts'
import { sendFaultProblem } from './problem.ts'
import { sendText } from './send-text.ts'

export interface FaultyAnswerOptions {
  request: FastifyRequest
  operation: Operation
  /** The input of the request, as sent. */
  input: Readonly<Record<string, Json>>
  /** Performs the operation, with `changed` input if it is given. */
  perform(changed?: Readonly<Record<string, Json>>): Promise<Json>
  /** For `forMs` milliseconds, hides the resources that an output names. */
  hide(output: Json, forMs: number): void
  /** The body of an answer; empty if the operation has no output. */
  bodyOf(output: Json): string
  /** Answers according to the contract. */
  send(output: Json): FastifyReply
  /** Waits by the machine's clock, as a waiting client does. Returns false if the service closes before the end. */
  sleep(ms: number): Promise<boolean>
}

/** Answers a request in the way that a fault rule says. */
export async function answerWithFault(
  reply: FastifyReply,
  { spec }: FaultRule,
  options: FaultyAnswerOptions,
): Promise<FastifyReply> {
  const { request, perform, send } = options
  const { delayMs = 0 } = spec
  switch (spec.action) {
    case 'status':
      return sendStatus(reply, spec, request)
    case 'delay':
      return (await options.sleep(delayMs)) ? send(await perform()) : breakOff(reply)
    case 'resetBefore':
      return breakOff(reply)
    case 'resetAfter':
      await perform()
      return breakOff(reply)
    case 'truncate':
      return sendHalf(reply, options.operation.status, options.bodyOf(await perform()))
    case 'garbage':
      await perform()
      reply.code(200)
      return spec.garbage === 'json'
        ? sendText(reply, 'application/json', BROKEN_JSON)
        : sendText(reply, 'text/html', PAGE)
    case 'duplicate':
      return send(await withRepeatedRow(options))
    case 'lag': {
      const output = await perform()
      options.hide(output, delayMs)
      return send(output)
    }
  }
}

const BROKEN_JSON = '{"id": "1", "status": '
const PAGE = '<!doctype html><title>Welcome</title><p>Please sign in to use this network.</p>'

/** Answers with a status. First reads an upload to its end, so that the client gets the answer (decision 108). */
async function sendStatus(
  reply: FastifyReply,
  spec: FaultRule['spec'],
  request: FastifyRequest,
): Promise<FastifyReply> {
  // If the request is cut off in the meantime, the client gets no answer anyway.
  if (!request.raw.readableEnded) await finished(request.raw.resume()).catch(() => undefined)
  const { status = 500, retryAfter } = spec
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter))
  return sendFaultProblem(reply, status)
}

function breakOff(reply: FastifyReply): FastifyReply {
  reply.hijack()
  reply.raw.socket?.resetAndDestroy()
  return reply
}

/** Announces the whole body but sends half of it. For an empty body, announces one byte. */
function sendHalf(reply: FastifyReply, status: number, body: string): FastifyReply {
  reply.hijack()
  const { raw } = reply
  const bytes = Buffer.from(body)
  raw.writeHead(status, {
    'content-type': VENDOR_MEDIA_TYPE,
    'content-length': Math.max(1, bytes.length),
    'x-request-id': reply.request.id,
  })
  raw.flushHeaders()
  raw.write(bytes.subarray(0, bytes.length / 2), () => raw.socket?.destroySoon())
  return reply
}

/**
 * Imitates a row that moved while the client was reading the list. Every page except the first begins with the last row
 * of the previous page. The first page repeats its last row. No row is missing, so a careful client can still read all
 * rows.
 */
async function withRepeatedRow({ operation, input, perform }: FaultyAnswerOptions): Promise<Json> {
  const output = await perform()
  const { list } = operation
  if (!list || !isJsonObject(output)) return output
  const page = Number(input.page ?? 0)
  const before = page > 0 ? rowsOf(await perform({ page: page - 1 }), list.items) : []
  const rows = rowsOf(output, list.items)
  return { ...output, [list.items]: page > 0 ? [...before.slice(-1), ...rows] : [...rows, ...rows.slice(-1)] }
}

function rowsOf(output: Json, key: string): readonly Json[] {
  const rows = isJsonObject(output) ? output[key] : undefined
  return Array.isArray(rows) ? rows : []
}
