-- Everybody who may log in.
CREATE TABLE IF NOT EXISTS public.users (
    id BIGINT GENERATED ALWAYS AS IDENTITY,
    "email" text NOT NULL CHECK (email LIKE '%@%'), -- lower case
    balance numeric(10, 2) DEFAULT 0,
    CONSTRAINT users_pk PRIMARY KEY (id)
);

CREATE UNIQUE INDEX CONCURRENTLY users_email ON users (lower(email));

ALTER TABLE users ADD COLUMN note text DEFAULT 'a; b';

CREATE OR REPLACE FUNCTION touch() RETURNS trigger AS $body$
BEGIN
  NEW.changed := now();
  CREATE TABLE not_a_table (id int);
  RETURN NEW;
END;
$body$ LANGUAGE plpgsql;

create view active as
select * from users
where active;
