import { startChild } from './support/child.ts'
import { openLoad } from './support/load.ts'
import { median } from './support/stats.ts'
const c = startChild(new URL('zz-child.ts', import.meta.url))
const o = await c.ask<Record<string, string>>('start')
const h = { accept: 'application/vnd.x+json', authorization: 'Bearer 0123456789abcdef0123456789abcdef' }
const loads: any = {}; const m: any = {}
for (const k in o) { loads[k] = await openLoad(o[k] + '/x', h, 16); m[k] = []; await loads[k].requests(500) }
for (let r = 0; r < 9; r++) for (const k in o) { const b = await c.ask<number>('cpuMicros'); const n = await loads[k].requests(300); m[k].push(((await c.ask<number>('cpuMicros')) - b) / n) }
for (const k in m) console.log(k.padEnd(14), median(m[k]).toFixed(2), 'µs', Math.min(...m[k]).toFixed(2))
for (const k in loads) loads[k].close()
await c.stop()
