import { createServer } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import * as multipart from '@fastify/multipart'
import * as cel from '@marcbachmann/cel-js'
import * as ajv from 'ajv'
import * as chokidar from 'chokidar'
import * as commander from 'commander'
import * as fastify from 'fastify'
import * as pino from 'pino'
import * as prometheus from 'prom-client'
import * as undici from 'undici'
import * as yaml from 'yaml'

/**
 * A process with the third-party code that an idle `audience start` has loaded, and with the minimum that it must keep
 * open, but without our code.
 */
const packages = [multipart, cel, ajv, chokidar, commander, fastify, pino, prometheus, undici, yaml]
const db = new DatabaseSync(join(process.cwd(), 'idle.db'))
db.exec('PRAGMA journal_mode = WAL; CREATE TABLE packages (name TEXT)')
for (const each of packages) db.prepare('INSERT INTO packages VALUES (?)').run(String(Object.keys(each)[0]))
createServer(() => undefined).listen(0, '127.0.0.1')
