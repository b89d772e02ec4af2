// Records the meaning of new documents under test/fixtures/corpus/. Recorded meanings never change.
import { corpus, openCorpus, record, recorded } from './open-corpus.ts'

const open = await openCorpus()
for (const name of corpus.filter((document) => recorded(document) === undefined)) {
  record(name, await open.meaningOf(name))
  process.stdout.write(`added ${name}\n`)
}
await open.close()
