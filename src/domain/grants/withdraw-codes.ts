import type { SchoolTx } from '../../foundation/db/school-db.ts'

/** Deletes the client's codes that are not exchanged yet: those of all people, or of one. */
export async function withdrawCodesOfClient(
  tx: SchoolTx,
  clientId: string,
  userId?: string,
): Promise<void> {
  await tx
    .delete('authorization_codes')
    .where('client_id', '=', clientId)
    .where('consumed_at', 'is', null)
    .$if(userId !== undefined, (query) => query.where('user_id', '=', userId as string))
    .execute()
}
