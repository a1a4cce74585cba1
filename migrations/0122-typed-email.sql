-- A school where a person has never signed in must not learn that they have another address by now, nor which.

alter table school_members add column typed_email text;
comment on column school_members.typed_email is 'the address of the person before it was changed; shown until they sign in at this school';
