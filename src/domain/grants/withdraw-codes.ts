import type { SchoolTx } from '../../foundation/db/school-db.ts'

/** Takes back consents that are still on their way to a client: everybody's, or one person's. */
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
