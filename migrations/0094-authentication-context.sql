alter table authorization_codes add column acr text;
alter table authorization_codes add column amr text[];
comment on column authorization_codes.acr is 'how the person had signed in when they agreed, for the ID token; null if the client did not ask';
