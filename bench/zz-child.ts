import { randomUUID } from 'node:crypto'
import { fastify } from 'fastify'
import { answerParent } from './support/child.ts'
const body = { id: '1', status: 'SUCCESS', segmentId: '0123456789abcdef01234567' }
const rid = { genReqId: () => randomUUID(), requestIdHeader: false as const }
const text = JSON.stringify(body)
const apps: Record<string, any> = {
  bare: () => { const a = fastify(); a.get('/x', async () => body); return a },
  uuid: () => { const a = fastify(rid); a.addHook('onRequest', (q, r, d) => { r.header('x-request-id', q.id); d() }); a.get('/x', async () => body); return a },
  asynchook: () => { const a = fastify(); a.addHook('onRequest', async () => {}); a.get('/x', async () => body); return a },
  sendtext: () => { const a = fastify(); a.get('/x', async (_q: any, r: any) => r.type('application/vnd.x+json').serializer(String).send(text)); return a },
  sendtextSync: () => { const a = fastify(); a.get('/x', (_q: any, r: any) => { r.type('application/vnd.x+json').serializer(String).send(text) }); return a },
  close: () => { const a = fastify(); a.addHook('onRequest', (q, r, d) => { r.raw.once('close', () => q.url.split('?')); d() }); a.get('/x', async () => body); return a },
  awaits: () => { const a = fastify(); const f = async () => body; const g = async () => await f(); const h = async () => await g(); a.get('/x', async () => await h()); return a },
}
const live: any = {}
answerParent({ async start() { const o: any = {}; for (const k in apps) { live[k] = apps[k](); o[k] = await live[k].listen({ host: '127.0.0.1', port: 0 }) } return o }, cpuMicros: () => process.cpuUsage().user + process.cpuUsage().system })
