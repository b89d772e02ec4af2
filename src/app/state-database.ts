/** What looks after the tables of a state in PostgreSQL: the only way from a command to them. */
// biome-ignore lint/performance/noBarrelFile: commands may import from app, and not from state/postgres
export { migrateDatabase } from '../state/postgres/migrate-database.ts'
