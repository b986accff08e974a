import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The columns that may change after a taint change is made, by table; all other columns repeat the trail. */
const LATER: Readonly<Record<string, readonly string[]>> = {
  taint_changes: ['undone_by', 'expiry'],
  node_intents: ['status', 'said_by'],
};

/**
 * Makes requests for taint changes, their authors and their outcomes immutable: triggers reject updates, and deletes while the
 * cluster exists. The check for the cluster runs at the end of the transaction, so the order of deletes does not matter.
 */
export class GuardTaintChanges1782000000010 implements MigrationInterface {
  readonly name = 'GuardTaintChanges1782000000010';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create function refuse_change_of_taint_change() returns trigger language plpgsql as $$
      begin
        raise exception 'what was stored of a taint change stays as it is: % of % is refused', tg_op, tg_table_name
          using errcode = 'restrict_violation';
      end $$`);
    await queryRunner.query(`
      create function refuse_removal_of_taint_change() returns trigger language plpgsql as $$
      begin
        if exists (select from clusters where id = old.cluster_id) then
          raise exception 'what was stored of a taint change goes with its cluster: % of % is refused', tg_op, tg_table_name
            using errcode = 'restrict_violation';
        end if;
        return null;
      end $$`);
    for (const [table, later] of Object.entries(LATER)) {
      const columns = (await queryRunner.query(
        `select quote_ident(attname) as name from pg_attribute
         where attrelid = $1::regclass and attnum > 0 and not attisdropped and attname <> all($2)
         order by attnum`,
        [table, later],
      )) as { name: string }[];
      await queryRunner.query(`
        create trigger ${table}_not_changed before update of ${columns.map(({ name }) => name).join(', ')} on ${table}
        for each row execute function refuse_change_of_taint_change()`);
      await queryRunner.query(`
        create constraint trigger ${table}_not_removed after delete on ${table} deferrable initially deferred
        for each row execute function refuse_removal_of_taint_change()`);
      await queryRunner.query(`
        create trigger ${table}_not_truncated before truncate on ${table}
        for each statement execute function refuse_change_of_taint_change()`);
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of Object.keys(LATER)) {
      for (const name of ['not_changed', 'not_removed', 'not_truncated']) {
        await queryRunner.query(`drop trigger ${table}_${name} on ${table}`);
      }
    }
    await queryRunner.query('drop function refuse_removal_of_taint_change()');
    await queryRunner.query('drop function refuse_change_of_taint_change()');
  }
}
