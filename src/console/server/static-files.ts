import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { tried } from '../../core/tried.ts'
import { API_PATH, apiOperations } from '../api/operations.ts'

export interface StaticFiles {
  /** The HTML element that names the icon, for the head of a page; empty if there is no client. */
  readonly icon: string
  /** Answers a request for a page, or for a file of the client's bundle. `path` is below the base path. */
  answer(request: IncomingMessage, response: ServerResponse, path: string): Promise<void>
}

interface Found {
  readonly type: string
  readonly plain: Buffer
  readonly packed: Buffer
}

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  ico: 'image/x-icon',
  webmanifest: 'application/manifest+json',
  map: 'application/json',
}

/** The placeholder in index.html for the path of the console. Everything in the file is relative to this path. */
const BASE = '__BASE__'
/** The name of a file contains a hash, so the file never changes. */
const FOREVER = 'public, max-age=31536000, immutable'
const ICON = /<link rel="icon"[^>]*>/
const ASSET = /^assets\/[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*\.([a-z]+)$/

/**
 * Serves the files of the client: `index.html`, and `assets/` with hashed names. Every other path is a page of the
 * client and gets `index.html`. If there is no client, serves a page that describes the API.
 */
export function createStaticFiles(bundle: string, publicPath: string): StaticFiles {
  const known = new Map<string, Promise<Found | undefined>>()
  const find = (name: string) => {
    const found = known.get(name) ?? load(bundle, name, publicPath)
    known.set(name, found)
    return found
  }
  return {
    icon: ICON.exec(indexPage(bundle, publicPath))?.[0] ?? '',
    async answer(request, response, path) {
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        response.writeHead(405, { allow: 'GET, HEAD' })
        response.end()
        return
      }
      const isAsset = ASSET.test(path)
      const found = await find(isAsset ? path : 'index.html')
      if (!found) {
        known.delete(path)
        response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' })
        response.end('there is no such file\n')
        return
      }
      const isPacked = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))
      const body = isPacked ? found.packed : found.plain
      response.writeHead(200, {
        'content-type': found.type,
        'content-length': body.length,
        'cache-control': isAsset ? FOREVER : 'no-cache',
        vary: 'accept-encoding',
        ...(isPacked && { 'content-encoding': 'gzip' }),
      })
      response.end(request.method === 'HEAD' ? undefined : body)
    },
  }
}

async function load(bundle: string, name: string, publicPath: string): Promise<Found | undefined> {
  const type = name === 'index.html' ? 'text/html; charset=utf-8' : TYPES[ASSET.exec(name)?.[1] ?? '']
  const plain =
    name === 'index.html'
      ? Buffer.from(indexPage(bundle, publicPath))
      : await readFile(join(bundle, name)).catch(() => undefined)
  if (plain === undefined || type === undefined) return undefined
  return { type, plain, packed: await promisify(gzip)(plain, { level: 9 }) }
}

function indexPage(bundle: string, publicPath: string): string {
  const page = tried(() => readFileSync(join(bundle, 'index.html'), 'utf8'))
  return page?.replaceAll(BASE, publicPath) ?? apiPage(publicPath)
}

/** The page that is served if there is no client. */
function apiPage(publicPath: string): string {
  const rows = Object.values(apiOperations).map(
    ({ method, path, summary, role }) =>
      `<tr><td>${method}<td><code>${publicPath}${API_PATH}${path}</code><td>${summary}<td>${role}`,
  )
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Audience</title><h1>The API of audience start</h1>
<p>Programs use it with a token of <code>console.tokens</code>: <code>Authorization: Bearer TOKEN</code>.
Its description is <a href="${publicPath}${API_PATH}/openapi.json">openapi.json</a>.</p>
<table><tr><th>Method<th>Path<th>What it does<th>Role
${rows.join('\n')}
</table></html>
`
}
