import type { FastifyReply } from 'fastify'

/** Sends text with exactly this media type. The framework would add a charset, which JSON types do not have. */
export function sendText(reply: FastifyReply, mediaType: string, text: string): FastifyReply {
  return reply.type(mediaType).serializer(asItIs).send(text)
}

function asItIs(payload: unknown): string {
  return String(payload)
}
